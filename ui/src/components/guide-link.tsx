import type { ReactNode } from 'react';

interface GuideLinkProps {
  /** Name of a page of the guide, without folder and extension. */
  readonly page: string;
  readonly children: ReactNode;
}

/** The address of a page of the guide, which is in English and outside the application. */
export function guideAddress(page: string): string {
  return `/ui/help/${page}.html`;
}

/** A link to a page of the guide, in a tab of its own: what the user was doing stays open. */
export function GuideLink({ page, children }: GuideLinkProps) {
  return (
    <a href={guideAddress(page)} target="_blank" rel="noreferrer" hrefLang="en">
      {children}
    </a>
  );
}
