import { IconFileImport, IconPlus } from '@tabler/icons-react';
import { Can } from '../../../access/Can';
import { ButtonLink } from '../../../ui/page/links';

export function NewServerLink() {
  return (
    <Can role="operator">
      <ButtonLink
        to="/servers"
        search={(before) => ({ ...before, edit: 'new' })}
        leftSection={<IconPlus size={15} aria-hidden />}
      >
        New server
      </ButtonLink>
    </Can>
  );
}

export function ImportServersLink({ environment }: { environment: string | undefined }) {
  return (
    <Can role="operator">
      <ButtonLink
        to="/servers/import"
        search={environment === undefined ? {} : { environment }}
        variant="default"
        leftSection={<IconFileImport size={15} aria-hidden />}
      >
        Import servers
      </ButtonLink>
    </Can>
  );
}
