import classes from './logo.module.css';

/** The product's logo, or the image that replaces it, next to the application's title. */
export function Logo({ appTitle, appLogo }: { appTitle: string; appLogo: string | null }) {
  return (
    <span className={classes.logo}>
      {appLogo ? (
        <img src={appLogo} alt="" className={classes.picture} />
      ) : (
        <svg viewBox="0 0 24 24" className={classes.mark} aria-hidden="true">
          <path d="M4 5.5l8 14 8-14" />
          <circle cx="12" cy="7" r="2.2" />
        </svg>
      )}
      <span className={classes.title}>{appTitle}</span>
    </span>
  );
}
