// MemoryBudget
