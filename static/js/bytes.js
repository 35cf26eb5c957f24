// “1 KB”, “512 KB”, “1.5 MB”.
export const size = (bytes) =>
  bytes < 2 ** 20 ? `${Math.max(1, Math.round(bytes / 2 ** 10))} KB` : `${(bytes / 2 ** 20).toFixed(1)} MB`;
