import type { AuditEntry } from '@vidette/contract/entities';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { Link } from '../../routing/react/link.tsx';
import { sentenceOf } from './audit-sentence.ts';

/** What happened, as a sentence; each name leads to all entries of that user or object. */
export function EntrySentence({ entry }: { readonly entry: AuditEntry }) {
  const i18n = useI18n();
  return (
    <>
      {sentenceOf(entry, i18n).map((part, index) => {
        if (typeof part === 'string') return part;
        if (part.isAction) return <span key={index}>{part.text}</span>;
        if (!part.filter) return <strong key={index}>{part.text}</strong>;
        return (
          <Link key={index} to="/administration/audit-logs" search={part.filter}>
            {part.text}
          </Link>
        );
      })}
    </>
  );
}
