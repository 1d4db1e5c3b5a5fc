import { useLayoutEffect, type RefObject } from 'react';

/**
 * Tells an element's style sheet, as `data-more-before` and `data-more-after`, at which of its edges there is more to
 * scroll to.
 */
export function useClippedEdges(element: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const list = element.current;
    if (!list) return;
    const look = () => {
      const { scrollLeft, clientWidth, scrollWidth } = list;
      // A zoomed page scrolls by parts of a pixel.
      list.setAttribute('data-more-before', String(scrollLeft > 1));
      list.setAttribute('data-more-after', String(scrollLeft + clientWidth < scrollWidth - 1));
    };
    look();
    list.addEventListener('scroll', look, { passive: true });
    const sizes = new ResizeObserver(look);
    for (const part of [list, ...list.children]) sizes.observe(part);
    return () => {
      list.removeEventListener('scroll', look);
      sizes.disconnect();
    };
  }, [element]);
}
