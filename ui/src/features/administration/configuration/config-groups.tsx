import { useI18n } from '../../../i18n/i18n-context.tsx';
import { groupName } from './config-fields.ts';
import classes from './configuration.module.css';

/** The id of a group's element, by the first segment of its keys. */
export function groupId(section: string): string {
  return `config-${section}`;
}

/** The groups of the configuration, beside the form where there is room; a click scrolls to one. */
export function ConfigGroups({ sections }: { sections: readonly string[] }) {
  const i18n = useI18n();
  return (
    <nav className={classes.groups} aria-label={i18n.t('config.groups')}>
      {sections.map((section) => (
        <button
          key={section}
          type="button"
          onClick={() => document.getElementById(groupId(section))?.focus()}
        >
          {groupName(section, i18n)}
        </button>
      ))}
    </nav>
  );
}
