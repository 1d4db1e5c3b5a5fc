/// <reference types="vite/client" />

// Imports one icon by its own path: the library's index has five thousand, and a build that reads them all is
// slow.
declare module '@tabler/icons-react/dist/esm/icons/*' {
  import type { Icon } from '@tabler/icons-react';
  const icon: Icon;
  export default icon;
}
