import { Group } from '@mantine/core';
import { IconArrowLeft, IconFileImport } from '@tabler/icons-react';
import type { ServerImport } from '../../../api/types';
import { isEnded } from '../../../api/queries/inventory/imports';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { AnchorLink, ButtonLink } from '../../../ui/page/links';
import { PageHeader } from '../../../ui/page/PageHeader';
import { ApplyButton } from './ApplyButton';
import { ImportBadge } from './ImportBadge';
import { originOf, pruneText } from './import-states';
import { ActionButton } from '../../../ui/page/ActionButton';

interface Props {
  found: ServerImport;
  environmentName: string;
  hasText: boolean;
  onBack: () => void;
  onNewImport: () => void;
}

export function ImportHeader({ found, environmentName, hasText, onBack, onNewImport }: Props) {
  const { preview, status, createdBy, createdAt } = found;
  const prune = pruneText(found);
  const done = !preview && status === 'succeeded';
  return (
    <PageHeader
      title={preview ? 'Import preview' : 'Server import'}
      above={
        <Group gap={6}>
          <AnchorLink to="/servers" size="xs">
            Servers
          </AnchorLink>
          <span aria-hidden>/</span>
          <AnchorLink to="/servers/imports" size="xs">
            Past imports
          </AnchorLink>
        </Group>
      }
      badge={<ImportBadge of={found} />}
      description={
        <>
          {originOf(found)} into {environmentName}
          {prune && `; ${prune}`}. Started by {createdBy.name}, <RelativeTime at={createdAt} />.
        </>
      }
      actions={
        isEnded(found) && (
          <>
            {done ? (
              <ButtonLink
                to="/servers/import"
                search={{}}
                variant="default"
                leftSection={<IconFileImport size={15} aria-hidden />}
                onClick={onNewImport}
              >
                Import another
              </ButtonLink>
            ) : (
              <ActionButton icon={IconArrowLeft} onClick={onBack}>
                {hasText ? 'Edit text' : 'New import'}
              </ActionButton>
            )}
            {preview && status === 'succeeded' && <ApplyButton preview={found} />}
          </>
        )
      }
    />
  );
}
