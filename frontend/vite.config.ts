import react from '@vitejs/plugin-react';
import { defineConfig, loadEnv } from 'vite';
import { precompress } from './precompress.ts';

export default defineConfig(({ mode }) => {
  const { RUNWARD_API_URL = 'http://127.0.0.1:8080' } = loadEnv(mode, '.', 'RUNWARD_');
  return {
    plugins: [react(), precompress()],
    server: { host: '127.0.0.1', proxy: { '/api': RUNWARD_API_URL } },
    build: {
      outDir: 'dist',
      target: 'es2023',
      // The content security policy allows no `data:` scripts or fonts, so small files are not inlined.
      assetsInlineLimit: 0,
      rolldownOptions: {
        input: ['index.html', 'docs.html'],
        output: {
          codeSplitting: {
            groups: [
              { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/, priority: 3 },
              { name: 'tanstack', test: /node_modules[\\/]@tanstack[\\/](?!react-virtual|virtual-core)/, priority: 2 },
            ],
          },
        },
      },
    },
  };
});
