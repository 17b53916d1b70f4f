import type { Icon } from '@tabler/icons-react';
import { EmptyState } from '../../../ui/feedback/EmptyState';
import { ButtonLink } from '../../../ui/page/links';
import { NewServerLink } from './server-links';

export function NoServers({ icon, filtered }: { icon: Icon; filtered: boolean }) {
  return filtered ? (
    <EmptyState
      icon={icon}
      title="No servers match these filters"
      action={
        <ButtonLink to="/servers" variant="default">
          Show all servers
        </ButtonLink>
      }
    >
      Change or clear the filters.
    </EmptyState>
  ) : (
    <EmptyState icon={icon} title="No servers yet" action={<NewServerLink />} needsGrant>
      Create a server with address, user and SSH key, or import servers from an inventory. Runward installs nothing on
      hosts.
    </EmptyState>
  );
}
