import { Skeleton, Stack } from '@mantine/core';

export function RowsSkeleton({ rows = 6, height = 20 }: { rows?: number; height?: number }) {
  return (
    <Stack gap="md" p="md" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, index) => (
        <Skeleton key={index} height={height} width={`${96 - ((index * 13) % 32)}%`} />
      ))}
    </Stack>
  );
}

export function PageSkeleton() {
  return (
    <Stack gap="lg" role="status" aria-label="Loading">
      <Skeleton height={28} width={240} />
      <Skeleton height={220} />
    </Stack>
  );
}
