/**
 * Has the browser put the offline page by [R1.8], once it has nothing better to do. Browsers allow that over HTTPS and on
 * the server's own machine only; elsewhere, and where a person forbids it, the page does without.
 */
export function putOfflinePageBy(page: Window): void {
  if (!('serviceWorker' in page.navigator) || !import.meta.env.PROD) return;
  const install = () =>
    page.navigator.serviceWorker
      .register('/ui/service-worker.js', { scope: '/ui/', updateViaCache: 'none' })
      .catch((error: unknown) => console.info('The offline page is not installed:', error));
  if (page.document.readyState === 'complete') void install();
  else page.addEventListener('load', () => void install(), { once: true });
}
