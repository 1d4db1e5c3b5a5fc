import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Builds the page into `ui/dist`, from where the server serves it under `/ui/`. */
export default defineConfig({
  base: '/ui/',
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // Each screen is a chunk of its own; a warning about size would only repeat what the budget test says.
    chunkSizeWarningLimit: 700,
    reportCompressedSize: false,
  },
});
