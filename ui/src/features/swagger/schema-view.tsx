import { useI18n } from '../../i18n/i18n-context.tsx';
import { kindOf, limitsOf, membersOf, type Schema } from './api-document.ts';
import classes from './swagger.module.css';

const deepest = 5;

interface SchemaViewProps {
  readonly schema: Schema;
  /** For a request body, where required members matter. */
  readonly isInput?: boolean;
  readonly depth?: number;
}

/** The members of a schema: one line per member, nested members below theirs. */
export function SchemaView({ schema, isInput = false, depth = 0 }: SchemaViewProps) {
  const members = membersOf(schema);
  if (members.length === 0 && depth === 0) return <ValueLine schema={schema} />;
  return (
    <ul className={classes.members}>
      {members.map(([name, member, isRequired]) => (
        <li key={name}>
          <ValueLine name={name} schema={member} isRequired={isInput && isRequired} />
          {depth < deepest && membersOf(member).length > 0 && (
            <SchemaView schema={member} isInput={isInput} depth={depth + 1} />
          )}
        </li>
      ))}
    </ul>
  );
}

interface ValueLineProps {
  readonly schema: Schema;
  readonly name?: string;
  readonly isRequired?: boolean;
  readonly description?: string | undefined;
}

/** One value: its name, its type, whether it is required, its limits, and its description. */
export function ValueLine({ schema, name, isRequired = false, description }: ValueLineProps) {
  const i18n = useI18n();
  const meaning = description ?? schema.description;
  const limits = [...limitsOf(schema), ...(schema.anyOf ?? []).flatMap(limitsOf)];
  return (
    <div className={classes.value}>
      {name !== undefined && <code className={classes.valueName}>{name}</code>}
      <span className={classes.kind}>{kindOf(schema)}</span>
      {isRequired && <span className={classes.required}>{i18n.t('swagger.required')}</span>}
      {limits.map((limit) => (
        <code key={limit} className={classes.limit}>
          {limit}
        </code>
      ))}
      {meaning && (
        <span lang="en" className={classes.meaning}>
          {meaning}
        </span>
      )}
    </div>
  );
}
