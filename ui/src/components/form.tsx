import { useRef, type FormEvent, type ReactNode } from 'react';
import classes from './form.module.css';

interface FormProps {
  readonly onSubmit: () => void;
  readonly children: ReactNode;
  /** The error of the form as a whole, as text. */
  readonly failure?: string | null;
}

/**
 * Submits once for a double click or a double Enter. A form that is being sent has a disabled button, which
 * stops both, but only after the next render: on a busy machine the second click arrives earlier.
 */
export function useSubmitOnce(onSubmit: () => void): (event: FormEvent) => void {
  const isHeld = useRef(false);
  return (event) => {
    event.preventDefault();
    if (isHeld.current) return;
    isHeld.current = true;
    onSubmit();
    // The update that disables the button is rendered by the first timer after this task; this one runs second.
    setTimeout(() => setTimeout(() => (isHeld.current = false)));
  };
}

/**
 * One column of fields, with the form's error above the actions. Enter submits; the browser validates nothing.
 */
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

/** The form's buttons, always last and left-aligned, the main one first. */
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
