// Scenes with known motion, drawn and encoded by ffmpeg: a data table, and its conversion to filter graphs.

/** An object crosses the image. */
export interface Crossing {
  readonly what: 'person' | 'car';
  readonly fromS: number;
  readonly toS: number;
}

export interface MotionScene {
  readonly name: string;
  readonly seconds: number;
  readonly crossings: readonly Crossing[];
  /**
   * From `[scene]`, the background with the moving object, to `[seen]`, the camera's view; `[rain]` and `[leaf]`
   * are textures.
   */
  readonly filter: string;
}

export interface Encoder {
  readonly name: string;
  readonly args: string;
}

export const framesPerSecond = 12;
const width = 480;
const height = 270;

/** Sensor noise that grows evenly over a span, as gain does when it gets dark: one level fades into another. */
function growingNoise(fromS: number, toS: number, from: number, to: number): string {
  return (
    `split[low][high];[low]noise=alls=${from}:allf=t[less];` +
    `[high]noise=alls=${to}:allf=t,format=yuva420p,fade=t=in:st=${fromS}:d=${toS - fromS}:alpha=1[more];[less][more]overlay`
  );
}

const crossings: readonly Crossing[] = [
  { what: 'person', fromS: 50, toS: 58 },
  { what: 'car', fromS: 85, toS: 89 },
  { what: 'person', fromS: 120, toS: 145 },
  { what: 'person', fromS: 175, toS: 180 },
  { what: 'car', fromS: 205, toS: 213 },
];

export const scenes: readonly MotionScene[] = [
  { name: 'static', seconds: 240, crossings, filter: '[scene]noise=alls=6:allf=t[seen]' },
  {
    name: 'dusk',
    seconds: 600,
    crossings: [
      { what: 'person', fromS: 60, toS: 68 },
      { what: 'car', fromS: 150, toS: 154 },
      { what: 'person', fromS: 230, toS: 250 },
      { what: 'car', fromS: 330, toS: 336 },
      { what: 'person', fromS: 420, toS: 428 },
      { what: 'person', fromS: 520, toS: 528 },
    ],
    filter: `[scene]eq=brightness='-0.25*t/600':contrast='1-0.25*t/600':eval=frame,${growingNoise(30, 570, 4, 6)}[seen]`,
  },
  {
    name: 'rain',
    seconds: 240,
    crossings,
    filter:
      `[rain]crop=${width}:${height}:0:'${height - 1}-mod(t*427,${height - 1})'[drops];` +
      '[scene][drops]blend=c0_mode=screen:c0_opacity=0.25:c1_opacity=0:c2_opacity=0,noise=alls=5:allf=t[seen]',
  },
  {
    name: 'leaves',
    seconds: 240,
    crossings,
    filter:
      `[scene][leaf]overlay=x='340+(8+3*sin(0.13*t))*sin(1.7*t)+3*sin(5.3*t)':y='20+4*sin(2.9*t)',` +
      'noise=alls=5:allf=t[seen]',
  },
  {
    name: 'lights',
    seconds: 240,
    crossings: [
      { what: 'person', fromS: 40, toS: 47 },
      { what: 'person', fromS: 120, toS: 128 },
      { what: 'car', fromS: 205, toS: 210 },
    ],
    filter:
      `[scene]eq=brightness='if(between(t,70,160),-0.3,0)':contrast='if(between(t,70,160),0.5,1)':eval=frame,` +
      `noise=alls=5:allf=t,noise=alls=6:allf=t:enable='between(t,70,160)'[seen]`,
  },
];

const x264 = '-c:v libx264 -preset veryfast -threads 1 -sc_threshold 0';
export const encoders: readonly Encoder[] = [
  { name: 'H.264 constant quality, GOP 2 s', args: `${x264} -tune zerolatency -g 24 -crf 25` },
  { name: 'H.264 with B-frames, GOP 4 s', args: `${x264} -bf 2 -g 48 -crf 26` },
  {
    name: 'H.264 VBR under a ceiling',
    args: `${x264} -tune zerolatency -g 24 -crf 27 -maxrate 400k -bufsize 800k`,
  },
  {
    name: 'H.264 CBR with a QP floor',
    args: `${x264} -tune zerolatency -g 24 -b:v 400k -maxrate 400k -bufsize 400k -qmin 27`,
  },
  {
    name: 'H.264 CBR, always full',
    args: `${x264} -tune zerolatency -g 24 -b:v 400k -maxrate 400k -bufsize 400k`,
  },
  {
    name: 'H.265 constant quality, GOP 2 s',
    args: '-c:v libx265 -preset ultrafast -crf 27 -x265-params keyint=24:min-keyint=24:scenecut=0:bframes=0:log-level=error:pools=1:frame-threads=1',
  },
];

/** The arguments that create the still images in a folder: background, rain, leaves, and the moving object. */
export function stillArguments(): string[][] {
  const noise = (size: string, level: string) => `nullsrc=s=${size},format=gray,geq=lum='${level}'`;
  return [
    [
      '-f',
      'lavfi',
      '-i',
      `${noise(`${width}x${height}`, 'random(1)*255')},gblur=sigma=4,eq=contrast=5`,
      'ground.png',
    ],
    [
      '-f',
      'lavfi',
      '-i',
      `${noise(`${width}x${2 * height}`, '255*gt(random(1),0.994)')},gblur=sigma=0.6:sigmaV=7,eq=contrast=8:brightness=0.3`,
      'rain.png',
    ],
    ['-f', 'lavfi', '-i', `${noise('120x110', 'random(2)*255')},gblur=sigma=3,eq=contrast=5`, 'leaf.png'],
    ['-f', 'lavfi', '-i', 'testsrc2=s=320x240', '-vf', 'crop=22:56:60:60', 'person.png'],
    ['-f', 'lavfi', '-i', 'testsrc2=s=320x240', '-vf', 'crop=90:45:40:60', 'car.png'],
  ].map((args) => [...args.slice(0, -1), '-frames:v', '1', args.at(-1) ?? '']);
}

/** The arguments that draw a scene once and encode it with every encoder, to one file each. */
export function sceneArguments(
  scene: MotionScene,
  outputs: readonly { encoder: Encoder; file: string }[],
): string[] {
  const still = (name: string) => ['-loop', '1', '-framerate', String(framesPerSecond), '-i', `${name}.png`];
  const place = (what: Crossing['what'], sizePx: number) =>
    scene.crossings
      .filter((crossing) => crossing.what === what)
      .reduce((rest, { fromS, toS }, index) => {
        const share = `(t-${fromS})/${toS - fromS}`;
        const along = index % 2 === 0 ? share : `(1-${share})`;
        return `if(between(t,${fromS},${toS}),${-sizePx}+${width + sizePx}*${along},${rest})`;
      }, '-999');
  const graph = [
    '[0:v]format=yuv420p[ground]',
    `[ground][1:v]overlay=x='${place('person', 22)}':y=160[one]`,
    `[one][2:v]overlay=x='${place('car', 90)}':y=190[scene]`,
    ...(scene.filter.includes('[rain]') ? ['[3:v]format=yuv420p[rain]'] : []),
    ...(scene.filter.includes('[leaf]') ? ['[3:v]format=yuv420p[leaf]'] : []),
    scene.filter,
    `[seen]split=${outputs.length}${outputs.map((_, index) => `[out${index}]`).join('')}`,
  ];
  const extra = scene.filter.includes('[rain]')
    ? still('rain')
    : scene.filter.includes('[leaf]')
      ? still('leaf')
      : [];
  return [
    ...still('ground'),
    ...still('person'),
    ...still('car'),
    ...extra,
    '-filter_complex',
    graph.join(';'),
    ...outputs.flatMap(({ encoder, file }, index) => [
      '-map',
      `[out${index}]`,
      '-t',
      String(scene.seconds),
      ...encoder.args.split(' '),
      file,
    ]),
  ];
}
