import { useRef, type FormEvent, type ReactNode } from 'react';
import classes from './form.module.css';

interface FormProps {
  readonly onSubmit: () => void;
  readonly children: ReactNode;
  /** What failed about the form as a whole, in words. */
  readonly failure?: string | null;
}

/**
 * Submits once for a double click or a double Enter. A form that is being sent has a disabled button, which stops both,
 * but only once the page was drawn anew: on a busy machine the second click is there before.
 */
export function useSubmitOnce(onSubmit: () => void): (event: FormEvent) => void {
  const isHeld = useRef(false);
  return (event) => {
    event.preventDefault();
    if (isHeld.current) return;
    isHeld.current = true;
    onSubmit();
    // The change that disables the button is drawn by the first timer after this turn, this runs in the second.
    setTimeout(() => setTimeout(() => (isHeld.current = false)));
  };
}

/** One column of fields, the failure of the whole above the actions. Enter submits; the browser checks nothing. */
export function Form({ onSubmit, children, failure }: FormProps) {
  const submit = useSubmitOnce(onSubmit);
  return (
    <form noValidate onSubmit={submit} className={classes.form}>
      {children}
      <div role="alert" className={classes.failureHolder}>
        {failure && <p className={classes.failure}>{failure}</p>}
      </div>
    </form>
  );
}

/** The form's buttons, always last and at its left edge, the main one first. */
export function FormActions({ children }: { children: ReactNode }) {
  return <div className={classes.actions}>{children}</div>;
}

/** A group of fields under a heading. */
export function FormSection({
  title,
  text,
  children,
}: {
  title: string;
  text?: string;
  children: ReactNode;
}) {
  return (
    <section className={classes.section}>
      <h2 className={classes.sectionTitle}>{title}</h2>
      {text && <p className={classes.sectionText}>{text}</p>}
      {children}
    </section>
  );
}
