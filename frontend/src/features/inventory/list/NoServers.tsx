import type { Icon } from '@tabler/icons-react';
import { EmptyState } from '../../../ui/feedback/EmptyState';
import { ButtonLink } from '../../../ui/page/links';
import { NewServerLink } from './server-links';

/** What an empty list says. */
export function NoServers({ icon, filtered }: { icon: Icon; filtered: boolean }) {
  return filtered ? (
    <EmptyState
      icon={icon}
      title="No server fits"
      action={
        <ButtonLink to="/servers" variant="default">
          Show all servers
        </ButtonLink>
      }
    >
      No server fits these filters.
    </EmptyState>
  ) : (
    <EmptyState icon={icon} title="No servers yet" action={<NewServerLink />}>
      Register a host with its address, the user to sign in as, and an SSH key, or import hosts from an inventory.
      Nothing is installed on them.
    </EmptyState>
  );
}
