import '@mantine/core/styles/baseline.layer.css';
import '@mantine/core/styles/default-css-variables.layer.css';
import '@mantine/core/styles/global.layer.css';
import '@mantine/notifications/styles.layer.css';
import './app/tokens.css';
import './app/global.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Providers } from './app/Providers';
import { addCutTitles } from './ui/page/cut-titles';

// The build adds the styles of each used component (`mantine-styles.ts`).
if (import.meta.env.DEV) await import('@mantine/core/styles.layer.css');

const container = document.getElementById('root');
if (!container) throw new Error('index.html has no element with the id root.');
addCutTitles(document.body);
createRoot(container).render(
  <StrictMode>
    <Providers />
  </StrictMode>,
);
