import { useLayoutEffect, type RefObject } from 'react';

/**
 * Tells an element's style sheet, as `--stage-top`, how far below the top of the page it begins: banners above it come
 * and go, and what is to fill the window has to know.
 */
export function useTop(element: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const measure = () => {
      const stage = element.current;
      if (!stage) return;
      const topPx = Math.round(stage.getBoundingClientRect().top + window.scrollY);
      stage.style.setProperty('--stage-top', `${topPx}px`);
    };
    measure();
    // A banner changes the height of the page's body before this element has answered to it.
    const sizes = new ResizeObserver(measure);
    sizes.observe(document.body);
    return () => sizes.disconnect();
  }, [element]);
}
