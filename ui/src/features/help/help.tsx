import { Kbd } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSettings } from '../../api/session.ts';
import { GuideLink } from '../../components/guide-link.tsx';
import { PageBar } from '../../components/page-bar.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import classes from './help.module.css';

/** Help inside the product: the few things that every user needs to read once. */
export function HelpScreen() {
  const i18n = useI18n();
  const { version, securityContact } = useSettings();
  return (
    <div className={classes.screen}>
      <PageBar title={i18n.t('title.help')} />
      <Topic title={i18n.t('help.guide.title')}>
        <p>{i18n.t('help.guide.text')}</p>
        <p>
          <GuideLink page="index">{i18n.t('help.guide.open')}</GuideLink>
        </p>
      </Topic>
      <Topic title={i18n.t('help.start.title')}>
        <p>{i18n.t('help.start.text')}</p>
      </Topic>
      <Topic title={i18n.t('help.sources.title')}>
        <p>{i18n.t('help.sources.text')}</p>
      </Topic>
      <Topic title={i18n.t('help.archive.title')}>
        <p>{i18n.t('help.archive.text')}</p>
        <p>{i18n.t('help.archive.depth')}</p>
      </Topic>
      <Topic title={i18n.t('help.demand.title')}>
        <p>{i18n.t('help.demand.text')}</p>
      </Topic>
      <Topic title={i18n.t('help.keys.title')}>
        <dl className={classes.keys}>
          <Keys names={['←', '→']} text={i18n.t('help.keys.arrows')} />
          <Keys names={['+', '−']} text={i18n.t('help.keys.zoom')} />
          <Keys names={['Home', 'End']} text={i18n.t('help.keys.ends')} />
        </dl>
      </Topic>
      {securityContact !== null && (
        <Topic title={i18n.t('help.security.title')}>
          <p>
            {i18n.t('help.security.text')}{' '}
            <a href={securityContact} rel="noreferrer">
              {securityContact.replace(/^mailto:/, '')}
            </a>
          </p>
        </Topic>
      )}
      <Topic title={i18n.t('help.version.title')}>
        <p>{i18n.t('help.version.text', { version })}</p>
      </Topic>
    </div>
  );
}

function Topic({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={classes.topic}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Keys({ names, text }: { names: readonly string[]; text: string }) {
  return (
    <div className={classes.key}>
      <dt>
        {names.map((name) => (
          <Kbd key={name}>{name}</Kbd>
        ))}
      </dt>
      <dd>{text}</dd>
    </div>
  );
}
