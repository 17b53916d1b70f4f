import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './app/global.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Providers } from './app/Providers';

const container = document.getElementById('root');
if (!container) throw new Error('index.html has no element with the id root.');
createRoot(container).render(
  <StrictMode>
    <Providers />
  </StrictMode>,
);
