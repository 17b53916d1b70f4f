import { AnchorLink } from '../../../ui/page/links';
import { PageHeader } from '../../../ui/page/PageHeader';
import { RotationsTable } from './RotationsTable';

export function RotationsPage() {
  return (
    <>
      <PageHeader
        title="Rotations"
        above={
          <AnchorLink to="/keys" size="xs">
            SSH keys
          </AnchorLink>
        }
        description="Replacements of SSH keys on their hosts, newest first."
      />
      <RotationsTable />
    </>
  );
}
