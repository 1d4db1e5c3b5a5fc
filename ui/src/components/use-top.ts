import { useLayoutEffect, type RefObject } from 'react';

/**
 * Gives an element's style sheet, as `--stage-top`, its distance from the top of the page: banners above it
 * come and go, and an element that fills the window depends on it.
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
    // A banner changes the height of the page's body before this element has been laid out again.
    const sizes = new ResizeObserver(measure);
    sizes.observe(document.body);
    return () => sizes.disconnect();
  }, [element]);
}
