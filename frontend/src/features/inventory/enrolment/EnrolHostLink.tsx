import { IconPlugConnected } from '@tabler/icons-react';
import { Can } from '../../../access/Can';
import { ButtonLink } from '../../../ui/page/links';

export function EnrolHostLink({ variant }: { variant?: string }) {
  return (
    <Can role="operator">
      <ButtonLink
        to="/servers"
        search={(before) => ({ ...before, enrol: 'new' as const })}
        variant={variant}
        leftSection={<IconPlugConnected size={15} aria-hidden />}
      >
        Enrol host
      </ButtonLink>
    </Can>
  );
}
