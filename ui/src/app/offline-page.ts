/**
 * Makes the browser store the offline page [R1.8] after the first screen is shown. Browsers allow that only
 * over HTTPS and on localhost; elsewhere, and where the user forbids it, the page works without.
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
    // Refused by a setting of the browser, or the server became unreachable meanwhile: the next visit tries
    // again.
  }
}
