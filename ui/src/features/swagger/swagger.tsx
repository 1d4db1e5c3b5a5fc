import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { apiDocumentQuery } from './swagger-api.ts';
import { textOf } from '../../page/failures.ts';
import { Delayed } from '../../components/delayed.tsx';
import { FailedState } from '../../components/failed-state.tsx';
import { PageBar } from '../../components/page-bar.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { useRouteLocation } from '../../routing/react/router-context.tsx';
import { groupsOf, matching, type OperationGroup } from './api-document.ts';
import { OperationView } from './operation-view.tsx';
import classes from './swagger.module.css';

/** The API as the server describes it [R2.17]: every call, with its parameters, schemas, errors and an example. */
export function SwaggerScreen() {
  const i18n = useI18n();
  const { data, error, refetch } = useQuery(apiDocumentQuery);
  const groups = useMemo(() => data && groupsOf(data), [data]);
  return (
    <div className={classes.page}>
      <PageBar
        title={i18n.t('title.swagger')}
        actions={
          <a href="/v1/openapi.json" download="openapi.json" className={classes.download}>
            {i18n.t('swagger.download')}
          </a>
        }
      />
      {groups && <Calls groups={groups} />}
      {!groups && error && <FailedState text={textOf(error, i18n)} onRetry={() => void refetch()} />}
      {!groups && !error && (
        <Delayed>
          <Skeleton height={32} mb={24} />
          <Skeleton height={320} />
        </Delayed>
      )}
    </div>
  );
}

function Calls({ groups }: { groups: readonly OperationGroup[] }) {
  const i18n = useI18n();
  const { hash: wanted } = useRouteLocation();
  const [search, setSearch] = useState('');
  const shown = matching(groups, search);
  return (
    <>
      <p className={classes.intro}>{i18n.t('swagger.intro')}</p>
      <SearchField label={i18n.t('swagger.search')} value={search} onChange={setSearch} />
      {shown.length === 0 && <p className={classes.intro}>{i18n.t('swagger.nothing')}</p>}
      {shown.map(({ name, operations }) => (
        <section key={name} className={classes.group}>
          <h2 className={classes.groupName}>{name}</h2>
          {operations.map((operation) => (
            <OperationView key={operation.id} operation={operation} isWanted={operation.id === wanted} />
          ))}
        </section>
      ))}
    </>
  );
}
