import { Group } from '@mantine/core';
import { IconPlayerStop, IconRefresh } from '@tabler/icons-react';
import type { Rotation } from '../../../api/types';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { ActionButton } from '../../../ui/page/ActionButton';
import { AnchorLink } from '../../../ui/page/links';
import { PageHeader } from '../../../ui/page/PageHeader';
import { RotationBadge } from './RotationBadge';

interface Props {
  rotation: Rotation;
  /** True while all failed hosts are being retried. */
  retrying: boolean;
  onRetry: () => void;
  onGiveUp: () => void;
}

export function RotationHeader({ rotation, retrying, onRetry, onGiveUp }: Props) {
  const { keyName, open, counts, createdBy, createdAt, finishedAt } = rotation;
  return (
    <PageHeader
      title={`Rotation of ${keyName}`}
      above={
        <Group gap={6}>
          <AnchorLink to="/keys" size="xs">
            SSH keys
          </AnchorLink>
          <span aria-hidden>/</span>
          <AnchorLink to="/keys/rotations" size="xs">
            Rotations
          </AnchorLink>
        </Group>
      }
      badge={<RotationBadge rotation={rotation} />}
      description={
        <>
          Started by {createdBy.name}, <RelativeTime at={createdAt} />
          {finishedAt !== null && (
            <>
              ; ended <RelativeTime at={finishedAt} />
            </>
          )}
          .
        </>
      }
      actions={
        open &&
        counts.failed > 0 && (
          <>
            <ActionButton role="operator" icon={IconRefresh} variant="filled" loading={retrying} onClick={onRetry}>
              Retry failed hosts
            </ActionButton>
            <ActionButton role="operator" icon={IconPlayerStop} onClick={onGiveUp}>
              Give up failed hosts
            </ActionButton>
          </>
        )
      }
    />
  );
}
