import { Group, Text } from '@mantine/core';
import { AnchorLink } from '../page/links';

interface Props {
  labels: Readonly<Record<string, string>>;
  small?: boolean;
}

/** Labels of a run. Each links to all runs with that label. */
export function RunLabels({ labels, small = false }: Props) {
  const entries = Object.entries(labels);
  if (entries.length === 0) return null;
  return (
    <Group gap="4px 8px" mt={small ? 4 : 0} className="rw-wrap-anywhere">
      {entries.map(([key, value]) => (
        <AnchorLink
          key={key}
          to="/executions"
          search={{ label: `${key}=${value}` }}
          size={small ? 'xs' : 'sm'}
          title="Runs with this label"
          // Ensures the minimum target size (WCAG 2.5.8), and distance from the link to the run above.
          display="inline-block"
          lh="24px"
        >
          {key}
          <Text span c="dimmed" inherit>
            =
          </Text>
          {value}
        </AnchorLink>
      ))}
    </Group>
  );
}
