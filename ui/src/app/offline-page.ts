/**
 * Has the browser put the offline page by [R1.8], once the first screen is there. Browsers allow that over HTTPS and on
 * the server's own machine only; elsewhere, and where a person forbids it, the page does without.
 */
export function putOfflinePageBy(page: Window): void {
  if (!('serviceWorker' in page.navigator) || !import.meta.env.PROD) return;
  if (page.document.readyState === 'complete') void install(page.navigator.serviceWorker);
  else page.addEventListener('load', () => void install(page.navigator.serviceWorker), { once: true });
}

async function install(container: ServiceWorkerContainer): Promise<void> {
  try {
    await container.register('/ui/service-worker.js', { scope: '/ui/', updateViaCache: 'none' });
  } catch {
    // Refused by a setting of the browser, or the server went away meanwhile: the next opening tries again.
  }
}
