import { useCallback, useEffect, useState } from 'react';
import { usePage } from '../../page/page-context.tsx';

/** Whether the command palette is open; Ctrl+K or Cmd+K opens and closes it, wherever the focus is. */
export function usePalette(): { isOpen: boolean; open: () => void; close: () => void } {
  const { language } = usePage();
  const [isOpen, setOpen] = useState(false);
  // Its messages are among those that the first screens don't need.
  const open = useCallback(() => void language.learnAll().then(() => setOpen(true)), [language]);
  const close = useCallback(() => setOpen(false), []);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isAsked = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      // By its position on the keyboard: a Russian layout has another letter there.
      if (!isAsked || event.code !== 'KeyK') return;
      event.preventDefault();
      if (isOpen) close();
      else open();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [isOpen, open, close]);
  return { isOpen, open, close };
}
