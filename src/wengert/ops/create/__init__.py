"""Creation of tensors: constants, from data, like other tensors, from other libraries' memory."""
