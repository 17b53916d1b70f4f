/** Components in all their states, for `npm run catalogue`. Not part of the build. */
import '@mantine/core/styles.layer.css';
import '../src/app/tokens.css';
import '../src/app/global.css';
import { Group, MantineProvider, SegmentedControl, Stack, Title, useMantineColorScheme } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from '@tanstack/react-router';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { cssVariables, theme } from '../src/app/theme';
import { Forms } from './Forms';
import { LogLines } from './LogLines';
import { Notices } from './Notices';
import { Grids, Pauses, setRunAnswers } from './Runs';
import { Statuses } from './Statuses';
import { Tables } from './Tables';

const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity, retry: false } } });
setRunAnswers(client);
const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() });

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section>
    <Title order={2} size="h3" mb="sm">
      {title}
    </Title>
    {children}
  </section>
);

function Header() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Group justify="space-between">
      <Title order={1}>Catalogue</Title>
      <SegmentedControl
        aria-label="Theme"
        data={['light', 'dark', 'auto']}
        value={colorScheme}
        onChange={(value) => setColorScheme(value)}
      />
    </Group>
  );
}

const container = document.getElementById('root');
if (!container) throw new Error('index.html has no element with the id root.');
createRoot(container).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <QueryClientProvider client={client}>
        <RouterContextProvider router={router as never}>
          <Stack p="xl" gap={40} component="main">
            <Header />
            <Part title="Statuses">
              <Statuses />
            </Part>
            <Part title="Tables">
              <Tables />
            </Part>
            <Part title="Notices">
              <Notices />
            </Part>
            <Part title="Grid of a run">
              <Grids />
            </Part>
            <Part title="Pauses">
              <Pauses />
            </Part>
            <Part title="Log lines">
              <LogLines />
            </Part>
            <Part title="Forms">
              <Forms />
            </Part>
          </Stack>
        </RouterContextProvider>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
