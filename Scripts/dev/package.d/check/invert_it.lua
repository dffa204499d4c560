return { name = "invert_it", version = "1.2", apply = function(picture) return picture:invert() end }
