/**
 * Saves the frame on screen as a PNG in its native size through a browser download.
 * @throws Error when there is no frame or the browser can't encode it
 */
export async function saveSnapshot(video: HTMLVideoElement, name: string, utcMs: number): Promise<void> {
  const canvas = document.createElement('canvas');
  canvas.width = video.videoWidth;
  canvas.height = video.videoHeight;
  const context = canvas.getContext('2d');
  if (!context || canvas.width === 0) throw new Error('There is no frame to save');
  context.drawImage(video, 0, 0);
  const image = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (!image) throw new Error('The browser could not encode the frame');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(image);
  const time = new Date(utcMs).toISOString().replace(/[:.]/g, '-');
  link.download = `${name.replace(/[^\p{L}\p{N} _-]+/gu, '')} ${time}.png`.trim();
  link.click();
  URL.revokeObjectURL(link.href);
}
