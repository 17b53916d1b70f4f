import { Menu } from '@mantine/core';
import { IconRoute } from '@tabler/icons-react';
import { useTour } from './useTour';

/** Menu item that starts the guided tour again. */
export function RestartTour() {
  const { restart } = useTour();
  return (
    <Menu.Item visibleFrom="sm" leftSection={<IconRoute size={16} aria-hidden />} closeMenuOnClick onClick={restart}>
      Restart the guided tour
    </Menu.Item>
  );
}
