import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { textOf } from '../../page/failures.ts';
import { Form } from '../../components/form.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { Operation } from './api-document.ts';
import { callAddress, readCall } from './trial.ts';
import classes from './swagger.module.css';

/** Runs a read-only call as the signed-in user, and shows the answer as received. */
export function TryCall({ operation }: { operation: Operation }) {
  const i18n = useI18n();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const trial = useMutation({ mutationFn: (address: string) => readCall(address) });
  const address = callAddress(operation, values);
  return (
    <Form onSubmit={() => trial.mutate(address)} failure={trial.error ? textOf(trial.error, i18n) : null}>
      {operation.parameters.length > 0 && (
        <div className={classes.fields}>
          {operation.parameters.map(({ name, required }) => (
            <TextInput
              key={name}
              size="sm"
              label={name}
              required={required}
              autoComplete="off"
              value={values[name] ?? ''}
              onChange={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
            />
          ))}
        </div>
      )}
      <div className={classes.send}>
        <Button type="submit" size="sm" variant="default" loading={trial.isPending}>
          {i18n.t('swagger.send')}
        </Button>
        <code>{`${operation.method} ${address}`}</code>
      </div>
      {trial.data && (
        <output>
          <pre className={classes.code}>
            {trial.data.status} {'\n'}
            {trial.data.text}
          </pre>
        </output>
      )}
    </Form>
  );
}
