/** An address without trailing slashes, to which a path can be appended. */
export function withoutLastSlash(url: string): string {
  let end = url.length;
  while (end > 0 && url[end - 1] === '/') end--;
  return url.slice(0, end);
}
