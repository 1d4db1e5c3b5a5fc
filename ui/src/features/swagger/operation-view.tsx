import { useCallback, useState, type ReactNode } from 'react';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { exampleOf, type Answer, type Operation } from './api-document.ts';
import { SchemaView, ValueLine } from './schema-view.tsx';
import classes from './swagger.module.css';
import { TryCall } from './try-call.tsx';

/** One call: a line that expands to its full description. */
export function OperationView({ operation, isWanted }: { operation: Operation; isWanted: boolean }) {
  // A hundred collapsed calls would be thousands of elements that no user sees.
  const [isOpen, setOpen] = useState(isWanted);
  const show = useCallback(
    (element: HTMLDetailsElement | null) => {
      if (isWanted) element?.scrollIntoView();
    },
    [isWanted],
  );
  const { id, method, path, summary } = operation;
  return (
    <details
      id={id}
      ref={show}
      className={classes.operation}
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className={classes.head}>
        <span className={classes.method} data-method={method}>
          {method}
        </span>
        <code className={classes.path}>{path}</code>
        <span lang="en" className={classes.summary}>
          {summary}
        </span>
      </summary>
      {isOpen && <OperationBody operation={operation} />}
    </details>
  );
}

function OperationBody({ operation }: { operation: Operation }) {
  const i18n = useI18n();
  const { method, description, parameters, body, answers } = operation;
  const succeeded = answers.find(({ status }) => status === '200');
  const failures = answers.filter((answer) => answer !== succeeded);
  return (
    <div className={classes.body}>
      <p lang="en" className={classes.description}>
        {description}
      </p>
      {parameters.length > 0 && (
        <Part title={i18n.t('swagger.parameters')}>
          <ul className={classes.members}>
            {parameters.map((parameter) => (
              <li key={parameter.name}>
                <ValueLine
                  name={parameter.name}
                  schema={parameter.schema}
                  isRequired={parameter.required}
                  description={parameter.description}
                />
              </li>
            ))}
          </ul>
        </Part>
      )}
      {body && (
        <Part title={i18n.t('swagger.body')}>
          <SchemaView schema={body} isInput />
          <Example value={exampleOf(body)} />
        </Part>
      )}
      {succeeded && (
        <Part title={i18n.t('swagger.answer')}>
          <AnswerView answer={succeeded} />
        </Part>
      )}
      <Part title={i18n.t('swagger.errors')}>
        <dl className={classes.errors}>
          {failures.map((answer) => (
            <div key={answer.status}>
              <dt>{answer.status}</dt>
              <dd lang="en">{answer.description.replaceAll('`', '').replaceAll('\n\n', '\n')}</dd>
            </div>
          ))}
        </dl>
      </Part>
      {method === 'GET' && succeeded?.contentType === 'application/json' && (
        <Part title={i18n.t('swagger.try')}>
          <TryCall operation={operation} />
        </Part>
      )}
    </div>
  );
}

function AnswerView({ answer: { schema, contentType, description } }: { answer: Answer }) {
  if (!schema) return <p className={classes.description}>{contentType ?? description}</p>;
  return (
    <>
      <SchemaView schema={schema} />
      <Example value={exampleOf(schema)} />
    </>
  );
}

function Example({ value }: { value: unknown }) {
  const i18n = useI18n();
  return (
    <details className={classes.example}>
      <summary>{i18n.t('swagger.example')}</summary>
      <pre className={classes.code}>{JSON.stringify(value, null, 2)}</pre>
    </details>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3 className={classes.partTitle}>{title}</h3>
      {children}
    </section>
  );
}
