import { createTheme, defaultVariantColorsResolver } from '@mantine/core';
import type { CSSVariablesResolver, MantineColorsTuple, VariantColorsResolver } from '@mantine/core';

// The two designs: a control room at night, a bright office by day. Surfaces are neutral slate in three levels,
// one accent colour marks controls, and three signal colours show states and nothing else.

const accent: MantineColorsTuple = [
  '#e6f6fd',
  '#c9ebfa',
  '#9bdaf5',
  '#69c7ef',
  '#3cb4e5',
  '#1c9fd4',
  '#0f86b8',
  '#0a7099',
  '#075a7d',
  '#04405a',
];

/** Night surfaces and text: 0 is text, 2 secondary text, 4 hairlines, 6 panels, 7 the floor. */
const dark: MantineColorsTuple = [
  '#e6ebf1',
  '#c3ccd8',
  '#98a4b4',
  '#7d8a9c',
  '#2a323d',
  '#1e252e',
  '#141920',
  '#0d1116',
  '#090c10',
  '#06080b',
];

/** Day surfaces and text: 0 the floor, 3 hairlines, 6 secondary text, 9 text. */
const gray: MantineColorsTuple = [
  '#f4f6f8',
  '#e9edf1',
  '#dde3e9',
  '#d0d7df',
  '#b4bec9',
  '#8a96a4',
  '#566373',
  '#414d5b',
  '#2a343f',
  '#161c24',
];

/** The accent is bright by night and deep by day, so the colour of text on it changes with the theme. */
const variantColors: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input);
  const isOnAccent = input.variant === 'filled' && (input.color ?? 'accent') === 'accent';
  return isOnAccent ? { ...colors, color: 'var(--on-accent)' } : colors;
};

/** The palette that Mantine's components use. */
export const theme = createTheme({
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'Cascadia Mono', Menlo, Consolas, monospace",
  colors: { accent, dark, gray },
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 4 },
  variantColorResolver: variantColors,
  black: '#161c24',
  defaultRadius: 6,
  fontSizes: { xs: '0.75rem', sm: '0.875rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.25rem', lineHeight: '1.4' },
      h2: { fontSize: '1rem', lineHeight: '1.5' },
      h3: { fontSize: '0.875rem', lineHeight: '1.5' },
    },
  },
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  components: {
    Modal: {
      defaultProps: { centered: true, radius: 8, transitionProps: { duration: 140 } },
      // A title with a long name has several lines.
      styles: { title: { lineHeight: 1.4 } },
    },
    Menu: { defaultProps: { transitionProps: { duration: 120 } } },
    Tooltip: { defaultProps: { closeDelay: 200, openDelay: 300, transitionProps: { duration: 120 } } },
  },
});

/** Colours by day. */
const lightColors = {
  '--surface-0': gray[0],
  '--surface-1': '#ffffff',
  '--surface-2': gray[1],
  '--line': gray[2],
  '--line-strong': gray[4],
  '--text': '#161c24',
  '--quiet': gray[6],
  '--accent': accent[7],
  '--on-accent': '#ffffff',
  '--accent-wash': '#e3f3fa',
  '--signal-red': '#c62828',
  '--signal-amber': '#8f5300',
  '--signal-green': '#1f7a3a',
  '--event-motion': '#8f5300',
  '--event-person': '#9a2fb0',
  '--event-vehicle': '#2456c9',
  '--event-animal': '#4f6d00',
  '--event-other': '#3a4553',
  '--red-wash': '#fdecec',
  '--amber-wash': '#fdf3e0',
  '--mantine-color-body': gray[0],
  '--mantine-color-text': '#161c24',
  '--mantine-color-dimmed': gray[6],
  '--mantine-color-placeholder': '#66727f',
  '--mantine-color-error': '#c62828',
  '--mantine-color-anchor': accent[7],
  '--mantine-color-red-filled': '#c62828',
  '--mantine-color-red-filled-hover': '#ad1f1f',
  '--mantine-color-red-outline': '#c62828',
  '--mantine-color-default-border': gray[3],
  '--mantine-color-accent-light': '#dff1fa',
  '--mantine-color-accent-light-hover': '#d0eaf7',
  '--mantine-color-accent-light-color': accent[7],
  '--mantine-color-disabled': gray[2],
  '--mantine-color-disabled-color': '#6b7785',
};

/** Colours by night. */
const darkColors = {
  '--surface-0': dark[7],
  '--surface-1': dark[6],
  '--surface-2': dark[5],
  '--line': dark[4],
  '--line-strong': '#3a4553',
  '--text': dark[0],
  '--quiet': dark[2],
  '--accent': accent[4],
  '--on-accent': '#04212e',
  '--accent-wash': '#0d2733',
  '--signal-red': '#ff7272',
  '--signal-amber': '#f2b13c',
  '--signal-green': '#4ccb75',
  '--event-motion': '#f2b13c',
  '--event-person': '#dd8fec',
  '--event-vehicle': '#8db8ff',
  '--event-animal': '#b9d957',
  '--event-other': '#e6ebf1',
  '--red-wash': '#2b1518',
  '--amber-wash': '#2a2010',
  '--mantine-color-body': dark[7],
  '--mantine-color-text': dark[0],
  '--mantine-color-dimmed': dark[2],
  '--mantine-color-placeholder': dark[3],
  '--mantine-color-error': '#ff7272',
  '--mantine-color-anchor': accent[4],
  '--mantine-color-red-filled': '#c93434',
  '--mantine-color-red-filled-hover': '#b52a2a',
  '--mantine-color-red-outline': '#ff7272',
  '--mantine-color-default-border': '#333d49',
  '--mantine-color-accent-light': '#103040',
  '--mantine-color-accent-light-hover': '#143c50',
  '--mantine-color-accent-light-color': accent[4],
  '--mantine-color-disabled': '#222a33',
  '--mantine-color-disabled-color': '#8592a3',
};

/**
 * The colours that `theme.css` and the screens use: `--surface-0..2` floor, panel, raised; `--line` hairline;
 * `--quiet` secondary text; `--accent`, `--on-accent`, `--signal-red|amber|green`,
 * `--event-*` the kinds of events.
 */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: lightColors,
  dark: darkColors,
});
