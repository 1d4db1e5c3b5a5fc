import { useQueries } from '@tanstack/react-query';
import { streamNameQuery } from '../../features/streams/streams-api.ts';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { Link } from '../../routing/react/link.tsx';

/** The number of streams named; the list shows the others. */
const NAMED = 3;

/** The streams that a warning concerns, as links by name. */
export function NamedStreams({ uids }: { uids: readonly string[] }) {
  const i18n = useI18n();
  const named = uids.slice(0, NAMED);
  const answers = useQueries({ queries: named.map((uid) => streamNameQuery(uid)) });
  const more = uids.length - named.length;
  return (
    <>
      {named.map((uid, at) => (
        <span key={uid}>
          {at > 0 && ', '}
          <Link to="/stream/$uid/info" params={{ uid }}>
            {answers[at]?.data ?? i18n.t('warning.notRecording.show')}
          </Link>
        </span>
      ))}
      {more > 0 && ` ${i18n.t('warning.streams.more', { count: more })}`}
    </>
  );
}
