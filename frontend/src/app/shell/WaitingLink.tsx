import { Badge } from '@mantine/core';
import { PlainLink } from '../../ui/page/links';
import { useWaiting } from './useWaiting';

/** On narrow screens, where the menu with the same count is closed. */
export function WaitingLink() {
  const waiting = useWaiting();
  if (!waiting) return null;
  return (
    <PlainLink to="/" hiddenFrom="sm" aria-description={waiting.description}>
      <Badge tt="none">{waiting.label} waiting</Badge>
    </PlainLink>
  );
}
