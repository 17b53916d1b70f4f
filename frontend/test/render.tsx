import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactElement } from 'react';
import { theme } from '../src/app/theme';

/**
 * Renders a component with the providers of the application, without animations. Requests go to the handlers of
 * `fakeServer`.
 */
export function renderComponent(component: ReactElement) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <MantineProvider theme={theme} env="test">
      <QueryClientProvider client={client}>{component}</QueryClientProvider>
    </MantineProvider>,
  );
  return { user: userEvent.setup() };
}
