import { Button, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { licenseQuery, useSaveLicense } from '../../api/administration.ts';
import { fieldErrorsOf } from '../../api/field-errors.ts';
import { wordsOf } from '../../app/failures.ts';
import { notifySuccess } from '../../app/notify.ts';
import { Fact, Facts } from '../../components/facts.tsx';
import { Form, FormActions, FormSection } from '../../components/form.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import classes from './administration.module.css';

/** The license in force, and putting another in its place [R2.15, R8.7]. */
export function LicenseScreen() {
  const i18n = useI18n();
  const { data: license } = useQuery(licenseQuery);
  const save = useSaveLicense();
  const [text, setText] = useState('');
  const fieldErrors = fieldErrorsOf(save.error, i18n, { IncorrectLicense: 'text', LicenseExpired: 'text' });
  const isAboutField = fieldErrors['text'] !== undefined;
  return (
    <div className={classes.license}>
      {license && (
        <Facts>
          <Fact label={i18n.t('license.state')}>
            {i18n.t(license.isExpired ? 'license.expired' : 'license.valid')}
          </Fact>
          <Fact label={i18n.t('license.owner')}>{license.owner || i18n.t('profile.none')}</Fact>
          <Fact label={i18n.t('license.expires')}>
            {license.expiresAt === null ? i18n.t('license.never') : i18n.date(license.expiresAt)}
          </Fact>
          <Fact label={i18n.t('license.streams')}>
            {license.maxStreams < 0 ? i18n.t('profile.info.noLimit') : i18n.number(license.maxStreams)}
          </Fact>
        </Facts>
      )}
      <FormSection title={i18n.t('banner.license.upload')}>
        <Form
          onSubmit={() =>
            save.mutate(text.trim(), {
              onSuccess: () => {
                setText('');
                notifySuccess(i18n.t('license.saved'));
              },
            })
          }
          failure={save.error && !isAboutField ? wordsOf(save.error, i18n) : null}
        >
          <Textarea
            size="sm"
            label={i18n.t('license.text')}
            minRows={4}
            autosize
            spellCheck={false}
            value={text}
            error={fieldErrors['text']}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <FormActions>
            <Button type="submit" size="sm" loading={save.isPending} disabled={text.trim() === ''}>
              {i18n.t('banner.license.upload')}
            </Button>
          </FormActions>
        </Form>
      </FormSection>
    </div>
  );
}
