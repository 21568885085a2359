# tf.function(f, input_signature=input_signature)
import tensorflow as tf

input_signature = [
    tf.TensorSpec(shape=[1, 3, 8, 8], dtype=tf.uint8, name="image"),
]
