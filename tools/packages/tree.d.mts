export function createTree(folder: string, version: string, architecture: string): Promise<void>;
