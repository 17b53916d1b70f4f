import { Button, Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconChevronDown, IconCopy } from '@tabler/icons-react';
import { copyText } from './copy-text';
import type { Recipe } from './start-recipes';

/** Copies the request of the form in the formats of other tools. */
export function CopyAs({ recipes }: { recipes: readonly Recipe[] }) {
  const copy = async ({ label, text }: Recipe) => {
    const copied = await copyText(text);
    notifications.show(
      copied
        ? { message: `Copied as ${label}. Set the variable for the token.` }
        : { color: 'red', message: 'The browser blocked access to the clipboard.' },
    );
  };
  return (
    <Menu position="top-start" returnFocus>
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<IconCopy size={15} aria-hidden />}
          rightSection={<IconChevronDown size={14} aria-hidden />}
        >
          Copy as
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {recipes.map((recipe) => (
          <Menu.Item key={recipe.key} onClick={() => void copy(recipe)}>
            {recipe.label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
