import { IconHistory } from '@tabler/icons-react';
import { useAccess } from '../../access/useAccess';
import { ButtonLink } from './links';

/** Opens the audit entries of a record. Only admins can read the audit trail. */
export function HistoryLink({ id }: { id: string }) {
  const { can } = useAccess();
  if (!can('admin')) return null;
  return (
    <ButtonLink
      to="/audit"
      search={{ resource: id }}
      variant="default"
      leftSection={<IconHistory size={15} aria-hidden />}
    >
      History
    </ButtonLink>
  );
}
