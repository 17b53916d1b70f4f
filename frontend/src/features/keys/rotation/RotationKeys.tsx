import { SimpleGrid } from '@mantine/core';
import type { Rotation } from '../../../api/types';
import { Fact } from '../../../ui/page/Fact';
import { AnchorLink } from '../../../ui/page/links';

export function RotationKeys({ rotation: { oldKey, newKey } }: { rotation: Rotation }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
      <Fact label="Old key">
        <KeyLink of={oldKey} />
      </Fact>
      <Fact label="New key">
        <KeyLink of={newKey} />
      </Fact>
    </SimpleGrid>
  );
}

function KeyLink({ of: { id, fingerprint } }: { of: Rotation['oldKey'] }) {
  const text = <span className="rw-mono rw-wrap-anywhere">{fingerprint}</span>;
  if (id === null) return <>{text} (deleted)</>;
  return (
    <AnchorLink to="/keys/$id" params={{ id }}>
      {text}
    </AnchorLink>
  );
}
