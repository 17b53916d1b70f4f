import { screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { renderComponent } from '../../../test/render';
import type { Me } from '../../api/types';
import { BrowserAlerts } from './BrowserAlerts';

const ME = { id: 'm1', name: 'Ana' } as Me;
const stored = () => JSON.parse(localStorage.getItem('runward.alerts.m1') ?? 'null') as unknown;

function offerNotifications(answer: NotificationPermission) {
  const offer = {
    permission: 'default' as NotificationPermission,
    requestPermission: vi.fn(async () => {
      offer.permission = answer;
      return answer;
    }),
  };
  vi.stubGlobal('Notification', offer);
  vi.stubGlobal('isSecureContext', true);
  Object.defineProperty(navigator, 'locks', { value: {}, configurable: true });
  return offer;
}

describe('settings of browser notifications', () => {
  beforeEach(() => localStorage.clear());
  afterEach(() => {
    vi.unstubAllGlobals();
    Reflect.deleteProperty(navigator, 'locks');
  });

  it('are off, and ask the browser only after a click', async () => {
    const offer = offerNotifications('granted');
    const { user } = renderComponent(<BrowserAlerts me={ME} />);
    const ended = screen.getByRole<HTMLInputElement>('switch', { name: /My run ended/ });
    expect(ended.checked).toBe(false);
    expect(offer.requestPermission).not.toHaveBeenCalled();
    await user.click(ended);
    await vi.waitFor(() => expect(ended.checked).toBe(true));
    expect(stored()).toEqual({ waiting: false, ended: true });
    await user.click(ended);
    expect(stored()).toEqual({ waiting: false, ended: false });
  });

  it('stay off if the browser refuses, and say what to do', async () => {
    offerNotifications('denied');
    const { user } = renderComponent(<BrowserAlerts me={ME} />);
    await user.click(screen.getByRole('switch', { name: /Something waits for me/ }));
    expect((await screen.findByRole('alert')).textContent).toContain('Allow them in the site settings');
    expect(stored()).not.toMatchObject({ waiting: true });
  });

  it('are disabled without HTTPS', () => {
    renderComponent(<BrowserAlerts me={ME} />);
    expect(screen.getByRole<HTMLInputElement>('switch', { name: /My run ended/ }).disabled).toBe(true);
    expect(screen.getByRole('note').textContent).toContain('HTTPS');
  });
});
