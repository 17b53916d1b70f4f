export function build(release: {
  version: string;
  architecture: string;
  folder: string;
  tree: string;
}): Promise<string>;
