import { useLocalStorage } from '@mantine/hooks';

/** Browser notifications that a member has turned on in this browser. */
export interface AlertSettings {
  /** A run or a protection change waits for the member. */
  waiting: boolean;
  /** A run that the member has started ended. */
  ended: boolean;
}

const OFF: AlertSettings = { waiting: false, ended: false };

export function useAlertSettings(memberId: string): [AlertSettings, (settings: AlertSettings) => void] {
  const [settings, setSettings] = useLocalStorage<AlertSettings>({
    key: `runward.alerts.${memberId}`,
    defaultValue: OFF,
    getInitialValueInEffect: false,
  });
  return [{ ...OFF, ...settings }, setSettings];
}

/** Browsers offer notifications and locks only on HTTPS and on this computer. */
export const canAlert = (): boolean => window.isSecureContext && 'Notification' in window && 'locks' in navigator;

export const isPermitted = (): boolean => canAlert() && Notification.permission === 'granted';
