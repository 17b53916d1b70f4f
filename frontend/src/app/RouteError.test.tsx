import { screen } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { describe, expect, it, vi } from 'vitest';
import { fakeServer, server } from '../../test/fake-server';
import { renderComponent } from '../../test/render';
import { UnloadedScripts } from './RouteError';
import { isLoadError, PageLoadError } from './routes/lazy-page';

const { answer } = fakeServer();

describe('a page whose scripts could not be loaded', () => {
  it('offers a reload if the server responds, because an upgrade has replaced the scripts', async () => {
    answer('get', '/api/health/live', { status: 'ok' });
    const reload = vi.fn();
    const { user } = renderComponent(<UnloadedScripts onReload={reload} />);
    expect((await screen.findByRole('alert')).textContent).toContain('A new version is available');
    expect(reload).not.toHaveBeenCalled();
    await user.click(screen.getByRole('button', { name: 'Reload' }));
    expect(reload).toHaveBeenCalledOnce();
  });

  it('says that there is no connection, and reloads when the server responds again', async () => {
    server.use(http.get('*/api/health/live', () => HttpResponse.error()));
    const reload = vi.fn();
    renderComponent(<UnloadedScripts onReload={reload} />);
    await screen.findByText(/server does not respond/);
    answer('get', '/api/health/live', { status: 'ok' });
    await vi.waitFor(() => expect(reload).toHaveBeenCalledOnce(), { timeout: 20_000 });
  });

  it.each([
    'Failed to fetch dynamically imported module: http://a/b.js',
    'Importing a module script failed.',
    'Unable to preload CSS for http://a/b.css',
  ])('is recognised: %s', (message) => {
    expect(isLoadError(new Error(message))).toBe(true);
    expect(isLoadError(new PageLoadError('x'))).toBe(true);
    expect(isLoadError(new Error('Unknown error.'))).toBe(false);
  });
});
