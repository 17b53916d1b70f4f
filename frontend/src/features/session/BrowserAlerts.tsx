import { Stack, Switch, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { Me } from '../../api/types';
import { type AlertSettings, canAlert, isPermitted, useAlertSettings } from '../../ui/alerts/alert-settings';

const SWITCHES: { name: keyof AlertSettings; label: string; description: string }[] = [
  {
    name: 'waiting',
    label: 'Something waits for me',
    description: 'A run or a protection change needs your decision.',
  },
  { name: 'ended', label: 'My run ended', description: 'A run that you started succeeded, failed or was stopped.' },
];

/** Notifications of this browser, which the member turns on. */
export function BrowserAlerts({ me }: { me: Me }) {
  const [settings, setSettings] = useAlertSettings(me.id);
  const [isRefused, setRefused] = useState(canAlert() && Notification.permission === 'denied');
  const change = async (name: keyof AlertSettings, on: boolean) => {
    // Browsers ask only after a click.
    if (on && !isPermitted() && (await Notification.requestPermission()) !== 'granted') return setRefused(true);
    setRefused(false);
    setSettings({ ...settings, [name]: on });
  };
  const isActive = canAlert() && !isRefused && isPermitted();
  return (
    <section aria-labelledby="browser-alerts">
      <Title order={2} size="h4" mb={4} id="browser-alerts">
        Browser notifications
      </Title>
      <Text c="dimmed" mb="sm">
        Shown while Runward is open in this browser, also in a background tab. For e-mail and chat, use notification
        rules.
      </Text>
      <Stack gap="sm">
        {SWITCHES.map(({ name, label, description }) => (
          <Switch
            key={name}
            label={label}
            description={description}
            checked={isActive && settings[name]}
            disabled={!canAlert()}
            onChange={(event) => void change(name, event.currentTarget.checked)}
          />
        ))}
        {!canAlert() && (
          <Text c="dimmed" role="note">
            This browser offers notifications only for pages with HTTPS. Ask an admin to serve Runward over HTTPS.
          </Text>
        )}
        {isRefused && (
          <Text c="var(--mantine-color-error)" role="alert">
            This browser blocks notifications of Runward. Allow them in the site settings of the browser, then turn the
            switch on.
          </Text>
        )}
      </Stack>
    </section>
  );
}
